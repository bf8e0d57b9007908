/** What one side, a robot, a policy or a data set, says of a body. Null is "not said", never a default. */

export interface EmbodimentJoint {
  readonly name: string
  readonly kind: 'hinge' | 'slide' | null
  /** `si`: radians or metres, by the joint's kind, which this side does not say. Null: it may also be degrees. */
  readonly unit: 'rad' | 'm' | 'si' | null
  readonly lower: number | null
  readonly upper: number | null
  readonly velocity: number | null
  readonly effort: number | null
}

export interface EmbodimentAction {
  /** `position`, `velocity` and the other words of a card's interface. */
  readonly semantics: string
  readonly scale: number | null
  readonly scalePerJoint: Readonly<Record<string, number>> | null
  readonly clip: number | null
}

export interface EmbodimentCamera {
  readonly name: string
  readonly width: number | null
  readonly height: number | null
  /** The image input of a VLA model that the camera feeds. */
  readonly slot: string | null
  /** False where motion is complete without its pictures, as in a data set; needed if absent. */
  readonly needed?: boolean
}

export interface Embodiment {
  /** In the order of the numbers of an action. */
  readonly joints: readonly EmbodimentJoint[]
  readonly rateHz: number | null
  readonly base: 'fixed' | 'floating' | null
  readonly action: EmbodimentAction | null
  readonly cameras: readonly EmbodimentCamera[]
  /** The default pose, by joint: what offsets are counted from. */
  readonly pose?: Readonly<Record<string, number>> | null
}
