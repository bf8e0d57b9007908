/** The key of a run, for what it starts. */
import { z } from 'zod'
import { makeRunKey, type RunKey } from '../../src/runs/claim/make-run-key.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { input, mutation } from '../root-field.ts'
import { targetRun } from './target-run.ts'

const RunKeyType = builder.objectRef<RunKey>('RunKey').implement({
  description: 'A new key of a run with its token, which is shown only here.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `key_`.' }),
    token: t.exposeString('token', { description: '`hub_key_…`: send it as `Authorization: Bearer`.' }),
  }),
})

mutation('makeRunKey', {
  type: RunKeyType,
  description:
    'Makes a key for what a running run starts, and revokes the one before. It reads the repos that the run names, ' +
    "writes the run's output repo and the private model repos that it makes, and is dead once the run has ended, or " +
    'the key or session that asked for it. ' +
    '409 for any credential that has not claimed the run.',
  scope: 'key:train',
  target: targetRun,
  input: input('The run that the key is for.', (t) => ({
    runId: t.id({ required: true, description: 'Id of the run.' }),
    attempt: t.int({ ...rule(z.int().min(1)), description: 'The `attempt` returned by the claim.' }),
  })),
  verb: makeRunKey,
})
