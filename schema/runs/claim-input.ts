/** Input of the claims of any kind of job. */

import { handleText, plainText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { type InputFields, rule } from '../input-field.ts'

const workerText = plainText(128).min(1)

const MAX_WAIT_S = 30

/** `who` is what claims: a runner, a worker. */
export const workerName = (t: InputFields, who: string) =>
  t.string({ required: true, ...rule(workerText), description: `Name of the ${who}.` })

/** Fields of `claimNext…`; `jobs` are what is claimed. */
export const claimNextFields = (t: InputFields, who: string, jobs: string) => ({
  worker: workerName(t, who),
  waitS: t.int({
    ...rule(z.int().min(0).max(MAX_WAIT_S)),
    description: `Seconds to wait for work, at most ${MAX_WAIT_S}; 0 by default.`,
  }),
  owner: t.string({
    ...rule(handleText),
    description: `Only ${jobs} of this account (handle); all accounts of the credential by default.`,
  }),
})
