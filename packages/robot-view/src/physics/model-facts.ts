/**
 * MuJoCo's facts about a compiled model, as plain JSON in the names of `/v1`: they are sent between processes and
 * become `draft.model`. Lengths are in m, angles in rad, masses in kg; an index of -1 means none.
 */

/** A body that is a child of the world: what a robot hangs from. */
export interface RootFacts {
  readonly name: string | null
  readonly floating: boolean
  /** Of the body and all below it. */
  readonly mass_kg: number
}

export interface JointFacts {
  readonly name: string | null
  readonly type: 'free' | 'ball' | 'slide' | 'hinge'
  readonly body: string | null
  /** Place in `roots`. */
  readonly root: number
  /** Place in qpos. */
  readonly qpos: number
  readonly limited: boolean
  readonly range: readonly [number, number]
  readonly axis: readonly [number, number, number]
  /** Of all actuators together; null where nothing limits it. */
  readonly force_range: readonly [number, number] | null
  readonly armature: number
  readonly friction_loss: number
}

export interface ActuatorFacts {
  readonly name: string | null
  /** What it pulls at: `joint`, `tendon`, `site`, … */
  readonly transmission: string
  /** Places in `joints` that it moves, directly or through a tendon. */
  readonly joints: readonly number[]
  readonly gear: number
  readonly gain: string
  readonly bias: string
  /** What its activation does: `none`, `integrator`, `filter`, … */
  readonly dynamics: string
  /** The first parameter of its gain: of a motor, N or N*m for each unit of control. */
  readonly gain_value: number
  readonly ctrl_range: readonly [number, number] | null
  readonly force_range: readonly [number, number] | null
  /** How it drives; null if it is neither a servo nor a motor: a muscle, an adhesion. */
  readonly mode: 'position' | 'velocity' | 'torque' | null
  /** Of a position servo, at its own side of the gear. */
  readonly kp: number | null
  /** Of a position or velocity servo, at its own side of the gear. */
  readonly kd: number | null
}

export interface KeyframeFacts {
  readonly name: string | null
  readonly qpos: readonly number[]
}

export interface ModelFacts {
  readonly model: string
  readonly nq: number
  readonly nv: number
  readonly nu: number
  readonly timestep_s: number
  /** Of everything, including loose objects next to the robot. Bodies fixed to the world have no mass. */
  readonly mass_kg: number
  readonly bodies: readonly { readonly name: string | null; readonly mass_kg: number }[]
  /** Whether something that is fixed to the world can be touched: a floor. */
  readonly has_ground: boolean
  readonly roots: readonly RootFacts[]
  readonly joints: readonly JointFacts[]
  readonly actuators: readonly ActuatorFacts[]
  readonly keyframes: readonly KeyframeFacts[]
  readonly qpos0: readonly number[]
  readonly sites: readonly string[]
  readonly cameras: readonly string[]
}
