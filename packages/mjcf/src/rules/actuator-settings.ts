/** The settings of an actuator that MuJoCo's rules use. */

/** Numbers and words as the classes and the element left them. */
export interface ActuatorState {
  dyntype: string
  gaintype: string
  biastype: string
  dynprm: number[]
  gainprm: number[]
  biasprm: number[]
  /** Below 0: left to the dynamics. */
  actdim: number
  ctrllimited: string
  forcelimited: string
  actlimited: string
  ctrlrange: [number, number]
  forcerange: [number, number]
  actrange: [number, number]
  inheritrange: number
  /** Requested inputs, '' for those of the type. */
  input: string
  damping: number[]
  armature: number
  cranklength: number
  nsample: number
  delay: number
  actearly: boolean
}
