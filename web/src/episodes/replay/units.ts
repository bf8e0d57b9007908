/** Units that a recorded number may have, as factors to the robot's own. Pure. */
import { told } from '../../viewer/panels/element.ts'
import type { RobotTarget } from './robot-targets.ts'

export const DEGREES = Math.PI / 180

export interface RecordedUnit {
  readonly name: string
  readonly scale: number
}

const known: Readonly<Record<'rad' | 'm', readonly RecordedUnit[]>> = {
  rad: [
    { name: 'rad', scale: 1 },
    { name: 'degrees', scale: DEGREES },
  ],
  m: [
    { name: 'm', scale: 1 },
    { name: 'cm', scale: 0.01 },
    { name: 'mm', scale: 0.001 },
  ],
}

/** `scale`: of the map; it is listed as it is where no unit has it. */
export function unitsOf(unit: RobotTarget['unit'], scale: number): readonly RecordedUnit[] {
  const units = unit === null ? [{ name: 'as it is', scale: 1 }] : known[unit]
  return units.some((one) => one.scale === scale) ? units : [...units, { name: `× ${told(scale)}`, scale }]
}
