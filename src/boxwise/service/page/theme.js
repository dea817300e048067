// Light or dark: as the system says, until the button says otherwise.

const KEY = "boxwise-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

export function setUpTheme(button) {
  const show = () => {
    const chosen = localStorage.getItem(KEY);
    if (chosen) document.documentElement.dataset.theme = chosen;
    const dark = chosen ? chosen === "dark" : system.matches;
    button.setAttribute("aria-pressed", dark);
  };
  button.addEventListener("click", () => {
    const dark = button.getAttribute("aria-pressed") === "true";
    localStorage.setItem(KEY, dark ? "light" : "dark");
    show();
  });
  system.addEventListener("change", show);
  show();
}
