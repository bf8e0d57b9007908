import { POSITIONS, VELOCITIES } from '../compose/joint-sizes.ts'
import type { Spec } from '../compose/types.ts'
import type { Faults } from '../fault.ts'
import type { ModelReading } from '../reading.ts'
import { checkActuatorDefaults } from './actuator-defaults.ts'
import { checkActuators } from './actuators.ts'
import { checkAssets } from './assets.ts'
import { checkBodies } from './bodies.ts'
import { checkCamerasAndLights } from './cameras-lights.ts'
import { checkComposites } from './composites.ts'
import { checkCustom } from './custom.ts'
import { checkConstraints } from './equalities.ts'
import { checkFlexes } from './flexes.ts'
import { checkGeoms, checkSites } from './geoms.ts'
import { checkHistory } from './history.ts'
import { checkInertia } from './inertia.ts'
import { checkJoints } from './joints.ts'
import { checkKeys } from './keys.ts'
import { checkPlugins } from './plugins.ts'
import { reportOn } from './report.ts'
import { checkSensors } from './sensors.ts'
import { checkTendons } from './tendons.ts'
import { checkUserData } from './user-data.ts'
import { checkWhole } from './whole.ts'

/**
 * Checks the rules of MuJoCo's reader and compiler that depend only on the text of the model, and counts its degrees of
 * freedom, controls and activations: null if parts of the model could not be built.
 */
export function checkRules(spec: Spec, faults: Faults): ModelReading['sizes'] {
  const report = reportOn(spec, faults)
  checkBodies(spec, report)
  checkJoints(spec, report)
  checkGeoms(spec, report)
  checkSites(spec, report)
  checkCamerasAndLights(spec, report)
  checkInertia(spec, report)
  checkAssets(spec, report)
  checkComposites(spec, report)
  checkFlexes(spec, report)
  checkConstraints(spec, report)
  checkTendons(spec, report)
  checkActuatorDefaults(spec.loaded, report)
  const { nu, na } = checkActuators(spec, report)
  checkSensors(spec, report)
  checkHistory(spec, report)
  checkCustom(spec, report)
  checkUserData(spec, report)
  checkPlugins(spec.loaded, report)
  checkWhole(spec, report)
  if (spec.undecided.some(({ about }) => about === 'joints' || about === 'sizes')) return null
  const nq = spec.joints.reduce((sum, { type }) => sum + POSITIONS[type], 0)
  const nv = spec.joints.reduce((sum, { type }) => sum + VELOCITIES[type], 0)
  const sizes = { nq, nv, nu, na }
  checkKeys(spec, sizes, report)
  return sizes
}
