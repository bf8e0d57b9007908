import type { Embodiment, EmbodimentJoint } from '../../src/embodiment.ts'

export const joint = (name: string, change: Partial<EmbodimentJoint> = {}): EmbodimentJoint => ({
  ...{ name, kind: 'hinge', unit: 'rad', lower: -1, upper: 1.5, velocity: null, effort: null },
  ...change,
})

/** An arm of three joints with nothing unusual. */
export const arm = (change: Partial<Embodiment> = {}): Embodiment => ({
  joints: [joint('shoulder'), joint('elbow', { lower: 0, upper: 2 }), joint('wrist', { lower: -3, upper: 3 })],
  rateHz: 50,
  base: 'fixed',
  action: { semantics: 'position', scale: 1, scalePerJoint: null, clip: null },
  cameras: [],
  ...change,
})
