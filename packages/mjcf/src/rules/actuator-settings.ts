/** The settings of an actuator that MuJoCo's rules use. */

/** Numbers and words after the classes and the element were applied. */
export interface ActuatorState {
  dyntype: string
  gaintype: string
  biastype: string
  dynprm: number[]
  gainprm: number[]
  biasprm: number[]
  /** Negative: determined by the dynamics. */
  actdim: number
  ctrllimited: string
  forcelimited: string
  actlimited: string
  ctrlrange: [number, number]
  forcerange: [number, number]
  actrange: [number, number]
  inheritrange: number
  /** Requested inputs; '' means the default inputs of the type. */
  input: string
  damping: number[]
  armature: number
  cranklength: number
  nsample: number
  delay: number
  actearly: boolean
}
