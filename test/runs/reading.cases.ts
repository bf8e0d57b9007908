import { type Cost, defineCases } from '../support/define-cases.ts'
import { putRun } from '../support/runs.ts'

/** What every key that sees a run may read of it. */
const scopes = { read: 200, write: 200, train: 200 }

const costOf = (part: string, statements: number): readonly Cost[] => [
  {
    given: async ({ hub, ada }) => [`/v1/runs/${await putRun(hub.running.deps.db, { ownerId: ada.id })}${part}`],
    statements,
  },
]

export const cases = defineCases({
  getRun: { scopes, costs: costOf('', 2) },
  getRunConfig: { scopes, costs: costOf('/config', 2) },
  getRunMetrics: { scopes, costs: costOf('/metrics', 3) },
  getRunSummary: { scopes, costs: costOf('/summary', 3) },
  getRunEnvironment: { scopes, costs: costOf('/environment', 3) },
  listRunMedia: { scopes, costs: costOf('/media', 3) },
  listRunCheckpoints: { scopes, costs: costOf('/checkpoints', 2) },
  streamRunLogs: { scopes },
  downloadRunLog: { scopes },
})
