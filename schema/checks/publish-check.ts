/** Publishing a check. Spec, "POST /v1/robot-checks/{check_id}/publish". */

import { fullNameText } from '@hub/formats/text-rules'
import { publishCheck } from '../../src/checks/publish/publish-check.ts'
import { messageField } from '../files/message-input.ts'
import { rule } from '../input-field.ts'
import { VisibilityEnum } from '../repos/enums.ts'
import { input, mutation } from '../root-field.ts'
import { CheckType } from './check.ts'
import { targetCheck } from './target-check.ts'

mutation('publishRobotCheck', {
  type: CheckType,
  payload: { name: 'check', description: 'The check with `published`.' },
  description:
    'Links the artifacts of a check that succeeded into its repo and stores the card or the meta block: all of ' +
    'it, or nothing. 403 for the credential that claimed the check; 409 for each of `publishBlockers` and for an ' +
    'artifact whose bytes changed; 422 with the codes of `putRobotCard` for a card that this would refuse.',
  scope: 'key:write',
  target: targetCheck,
  input: input('Which check to publish, and how.', (t) => ({
    checkId: t.id({ required: true, description: 'Id of the check.' }),
    visibility: t.field({
      type: VisibilityEnum,
      description: 'Visibility that the repo gets at the end; null leaves it unchanged.',
    }),
    repo: t.string({
      ...rule(fullNameText),
      description: 'For a model check: the model repo to publish into instead of the draft; created if it is missing.',
    }),
    smoke: t.boolean({ description: 'For a model check: queue the smoke rollout afterwards.' }),
    ...messageField(t),
  })),
  verb: publishCheck,
})
