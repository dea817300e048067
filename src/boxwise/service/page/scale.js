// Ticks of axes: round numbers, and round times of day.

/** About `wanted` round numbers from low to high. */
export function niceTicks(low, high, wanted = 4) {
  const rough = (high - low) / Math.max(1, wanted - 1) || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((k) => k * power).find((k) => k >= rough * 0.999);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) {
    ticks.push(Number((i * step).toPrecision(12)));
  }
  return ticks;
}

const STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
  172_800, 604_800, 2_592_000,
];

/** At most `most` round local times from begin to end, in seconds, and the step between them. */
export function timeTicks(begin, end, most) {
  const step = STEPS.find((k) => (end - begin) / k <= most) ?? STEPS.at(-1);
  const shift = -60 * new Date(1000 * begin).getTimezoneOffset();
  const ticks = [];
  for (let t = Math.ceil((begin + shift) / step) * step - shift; t <= end; t += step) ticks.push(t);
  return { ticks, step };
}
