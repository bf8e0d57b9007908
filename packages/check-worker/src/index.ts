/** Checks of robots and models, in a folder or for a hub. */

export { checkRobot, type RobotCheck, type RobotCheckResult } from './check-robot.ts'
export { checkModel, type ModelCheck, type ModelCheckResult } from './policy/check-model.ts'
export type { CheckOptions, Need, RobotCheckRequest } from './request.ts'
export type { CheckOutcome, CheckWorker } from './serve/serve-check.ts'
export { type CheckWorkOptions, workOnChecks } from './serve/work.ts'
export { findChromium } from './stills/find-chromium.ts'
