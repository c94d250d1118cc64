import type { InspectedRequest } from '../../../protocol/inspector.js';

/** How many tokens had come at which time; the timeline tells those of each moment. Pure. */
export function tokensSoFar(
  timeline: InspectedRequest['timeline'],
): { ms: number; tokens: number }[] {
  let tokens = 0;
  return timeline
    .filter(([, sampled]) => sampled > 0)
    .map(([ms, sampled]) => {
      tokens += sampled;
      return { ms, tokens };
    });
}
