// The link of the section that is on the screen.

/** Mark the link of the last section whose top has passed the upper third of the screen. */
export function followSections(links) {
  const sections = links.map((link) => document.querySelector(link.hash));
  const mark = () => {
    const passed = sections.filter((section) => section.getBoundingClientRect().top < innerHeight / 3);
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const now = atEnd && scrollY > 0 ? sections.length - 1 : Math.max(0, passed.length - 1);
    links.forEach((link, i) => {
      if (i === now) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}
