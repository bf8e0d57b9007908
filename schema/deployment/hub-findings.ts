/** What `hub doctor` finds. Contract, "The operator". */
import { type Finding, readFindings } from '../../src/deployment/findings.ts'
import { builder } from '../builder.ts'
import { query } from '../root-field.ts'
import { wordEnum } from '../word-enum.ts'

const FindingStatus = wordEnum('FindingStatus', 'State of a part of the hub.', {
  ok: 'It works.',
  warn: 'It works, and may soon not.',
  fail: 'It does not work.',
})

const FindingType = builder.objectRef<Finding>('Finding').implement({
  description: 'What was seen of one part of the hub.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The part, such as `object store`.' }),
    status: t.expose('status', { type: FindingStatus, description: 'Its state.' }),
    detail: t.exposeString('detail', { description: 'What was seen.' }),
    fix: t.exposeString('fix', { nullable: true, description: 'What to do; null if there is nothing to do.' }),
  }),
})

query('hubFindings', {
  type: [FindingType],
  most: 30,
  work: 100,
  description:
    'The checks of `hub doctor`, made by the hub itself: at most 10 s old. With S3 it writes, reads and deletes an ' +
    'object. For the operator alone.',
  scope: 'session',
  read: readFindings,
})
