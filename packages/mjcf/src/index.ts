/** Reads MJCF and URDF as MuJoCo does, without running it: what the model is, and what is wrong with it. */

export type { FaultKind, ModelFault } from './fault.ts'
export {
  type CheckedModel,
  checkModel,
  type ModelPlace,
  type ModelReport,
  unreadableReport,
} from './folder/check-model.ts'
export { FolderError, type LocalFiles, localFiles } from './folder/local-files.ts'
export { modelText, type Paint, paintFor } from './folder/model-text.ts'
export { type CandidateModel, modelsIn } from './folder/models-in.ts'
export { limits } from './limits.ts'
export type { ModelFiles } from './model-files.ts'
export {
  type FileWaves,
  openReadingPool,
  type PoolOptions,
  type PoolReading,
  type ReadingPool,
} from './processes/reading-pool.ts'
export { ReadingUnavailable } from './processes/unavailable.ts'
export { readModel } from './read-model.ts'
export type { MissingFile, ModelJoint, ModelReading } from './reading.ts'
export { type Check, type CheckFault, type CheckStatus, check, faultyCheck, gradeOf } from './verdict/check.ts'
export { isRefused, modelChecks, modelSummary, type RobotModelSummary } from './verdict/model-checks.ts'
