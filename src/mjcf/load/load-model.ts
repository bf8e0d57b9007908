export type { LoadedModel, LoadReport } from './loaded-model.ts'
