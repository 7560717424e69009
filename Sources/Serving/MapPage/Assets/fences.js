// The side of a fence on which the receiver is, in the words of the page.

import { metresBetween } from "./canvas.js";

/// "inside" or "outside"; "entering" or "leaving" while the place already contradicts the state, which changes after the dwell.
export function phaseOf(fence, location) {
  if (!location || fence.state === "unknown") return fence.state;
  const isWithin = metresBetween(fence, location) <= fence.radius;
  if (isWithin === (fence.state === "inside")) return fence.state;
  return isWithin ? "entering" : "leaving";
}

/// The fences of a state of the daemon with their phases, for a location that is current.
export function phasesOf({ fences, fix, location }) {
  return (fences ?? []).map((fence) => ({ ...fence, phase: phaseOf(fence, fix === "current" ? location : undefined) }));
}
