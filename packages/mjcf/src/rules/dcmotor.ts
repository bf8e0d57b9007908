import type { XmlElement } from '../xml/element.ts'
import type { ActuatorState } from './actuator-settings.ts'
import { numbersIn } from './fields.ts'

/**
 * Checks a DC motor: its motor constant and resistance, given or derived from nominal values, and one activation for
 * each effect that it models.
 */
export function applyDcmotor(state: ActuatorState, element: XmlElement): string | null {
  const inherited = state.gaintype === 'dcmotor'
  const { gainprm, dynprm } = state
  const from = (prm: readonly number[], place: number) => (inherited ? (prm[place] as number) : 0)
  const vector = (name: string, initial: readonly number[]) => {
    const given = numbersIn(element.attributes.get(name))
    return initial.map((value, i) => given[i] ?? value) as number[]
  }
  const [resistance = 0] = vector('resistance', [from(gainprm, 0)])
  const [L = 0, te = 0] = vector('inductance', [0, from(dynprm, 0)])
  const [thermalR = 0, thermalC = 0, thermalTime = 0] = vector('thermal', [from(dynprm, 2), from(dynprm, 3), 0])
  const [stiffness = 0] = vector('lugre', [from(dynprm, 5)])
  const [, , slope = 0] = vector('saturation', [0, 0, from(dynprm, 1)])
  const controller = vector('controller', [
    from(gainprm, 4),
    from(gainprm, 5),
    from(gainprm, 6),
    from(dynprm, 7),
    from(dynprm, 8),
    0,
  ])
  const motorconst = vector('motorconst', [from(gainprm, 1), 0]) as [number, number]
  const constants = motorConstants(motorconst, resistance, vector('nominal', [0, 0, 0]), state.damping[0] as number)
  if (constants.K <= 0) return 'has no positive motor constant (motorconst, or nominal voltage and speed)'
  if (constants.R <= 0) return 'has no positive resistance (resistance, or a nominal torque)'
  if (L < 0 || te < 0) return 'has a negative inductance'
  const thermal = thermalR > 0 || thermalC > 0 || thermalTime > 0
  if (thermal) {
    const C = thermalTime > 0 && thermalR > 0 && thermalC === 0 ? thermalTime / thermalR : thermalC
    const R = thermalTime > 0 && thermalC > 0 && thermalR === 0 ? thermalTime / thermalC : thermalR
    if (R <= 0) return 'has no positive thermal resistance'
    if (C <= 0) return 'has no positive thermal capacitance'
    dynprm[2] = R
    dynprm[3] = C
  }
  const time = L > 0 ? L / constants.R : te
  const [kp = 0, ki = 0, kd = 0, slewmax = 0, imax = 0] = controller
  Object.assign(gainprm, { 0: constants.R, 1: constants.K, 4: kp, 5: ki, 6: kd })
  Object.assign(dynprm, { 0: time, 7: slewmax, 8: imax })
  if (slope > 0) dynprm[1] = slope
  if (stiffness > 0) dynprm[5] = stiffness
  applySaturation(state, vector('saturation', [0, 0, 0]), constants.K)
  Object.assign(state, {
    dyntype: 'dcmotor',
    gaintype: 'dcmotor',
    biastype: 'dcmotor',
    actlimited: 'false',
    actearly: true,
  })
  state.actdim = [time > 0, slewmax > 0, ki > 0, thermal, stiffness > 0].filter(Boolean).length
  return null
}

function applySaturation(state: ActuatorState, [torque = 0, current = 0]: readonly number[], K: number): void {
  if (torque <= 0 && current <= 0) return
  const most = torque === 0 && current > 0 ? K * current : torque
  state.forcerange = [-most, most]
  state.forcelimited = 'true'
}

/**
 * The motor constant K and the resistance R; nominal voltage, stall torque and no-load speed replace missing values.
 */
function motorConstants([Kt, back]: [number, number], resistance: number, nominal: readonly number[], damping: number) {
  const [voltage = 0, torque = 0, speed = 0] = nominal
  const Ke =
    voltage > 0 && back <= 0 && speed > 0 ? backEmf({ voltage, torque, speed, R: resistance, B: damping }) : back
  const K = Kt > 0 && Ke > 0 ? Math.sqrt(Kt * Ke) : Kt > 0 ? Kt : Ke
  const R = resistance === 0 && voltage > 0 && torque > 0 && K > 0 ? (K * voltage) / torque : resistance
  return { K, R }
}

function backEmf({
  voltage,
  torque,
  speed,
  R,
  B,
}: {
  readonly voltage: number
  readonly torque: number
  readonly speed: number
  readonly R: number
  readonly B: number
}): number {
  const plain = voltage / speed
  if (B > 0 && R > 0) {
    const discriminant = voltage * voltage - 4 * R * B * speed * speed
    return discriminant > 0 ? (voltage + Math.sqrt(discriminant)) / (2 * speed) : plain
  }
  if (B > 0 && torque > 0) {
    const exact = plain - (voltage * B) / torque
    return exact > 0 ? exact : plain
  }
  return plain
}
