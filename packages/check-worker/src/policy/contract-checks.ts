/**
 * The checks of a contract, each with its verdict: `match` and `mismatch` were compared, `derived` was taken from the
 * robot, `stamped` comes from the policy alone. Pure.
 */

import type { Stamp } from '@hub/formats/policy/stamp'
import { type Check, check } from '@hub/mjcf/verdict/check'
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import { blocksOf, type ComparedCode, type Comparison, contractFingerprint } from './contract.ts'

type Document = Readonly<Record<string, unknown>>

export interface Judged {
  readonly stamp: Stamp
  readonly face: EmbodimentInterface | null
  /** Of an unstamped policy, where everything for it is there. */
  readonly derived: Document | null
  /** The derived one, else the policy's own. */
  readonly contract: Document | null
  readonly compared: readonly Comparison[]
  /** The policy's fingerprint. */
  readonly own: string | null
  readonly robotFingerprint: string | null
}

const verdict = (word: 'match' | 'mismatch' | 'stamped' | 'derived', more: Document = {}) => ({
  verdict: word,
  ...more,
})

/** `manifest.stamped`: whether the policy names its robot, and which parts of its stamp cannot be used. */
export function stampCheck({ stamp, own, derived }: Judged): Check {
  const { contract, contractFingerprint: claimed } = stamp
  const unlike = contract !== null && claimed !== null && claimed !== contractFingerprint(contract)
  const faults = [
    ...stamp.faults,
    ...(unlike ? ['contract_fingerprint is not that of the contract beside it, in canonical JSON.'] : []),
  ]
  const place = stamp.path ?? "the model's own metadata"
  if (own !== null) {
    const message = faults.length > 0 ? faults.join(' ') : `The policy is stamped by ${place}.`
    return check('manifest.stamped', faults.length > 0 ? 'warn' : 'pass', message, { data: verdict('stamped') })
  }
  if (derived)
    return check(
      'manifest.stamped',
      faults.length > 0 ? 'warn' : 'pass',
      ['The policy was not stamped; its contract is derived from the robot.', ...faults].join(' '),
      {
        data: verdict('derived'),
      },
    )
  return check(
    'manifest.stamped',
    'warn',
    ['The policy has no embodiment fingerprint, and no contract was derived for it.', ...faults].join(' '),
    {
      hint: 'The other checks and `needs_you` say why.',
    },
  )
}

const titles: Readonly<Record<ComparedCode, string>> = {
  'contract.joint_order': 'joint order',
  'contract.action': 'action',
  'contract.rate': 'control rate',
}

/** `contract.joint_order`, `contract.action` and `contract.rate`, in that order. */
export function comparedChecks({ face, derived, stamp, compared }: Judged): Check[] {
  return (Object.keys(titles) as ComparedCode[]).map((code) => {
    const title = titles[code]
    const found = compared.find((one) => one.code === code)
    const differing = found?.differing ?? []
    if (differing.length > 0) {
      const names = differing.map(({ field }) => field)
      return check(code, 'fail', `The ${title} of the policy is not that of the robot: ${names.join(', ')}.`, {
        names,
        hint:
          'Train for the interface that the robot has now, or check the policy against the robot that it was ' +
          'trained for.',
        data: verdict('mismatch', { differing }),
      })
    }
    if (found && found.said.length > 0)
      return check(code, 'pass', `The ${title} is that of the robot.`, {
        data: verdict('match', { compared: found.said }),
      })
    if (derived) return check(code, 'pass', `The ${title} is taken from the robot.`, { data: verdict('derived') })
    return check(code, 'skip', skipped(title, face, stamp))
  })
}

function skipped(title: string, face: EmbodimentInterface | null, { contract }: Stamp): string {
  if (!face) return `There is no interface of a robot to compare the ${title} with.`
  return contract ? `The contract does not say its ${title}.` : `The policy has no contract that says its ${title}.`
}

/** Terms that a controller computes itself, on any robot. */
const made = /^(last_action|actions?|phase|clock|commands?|.+_commands?)$/

/** `contract.observation`: a term that the robot does not list is a warning, since a controller may compute it. */
export function observationCheck({ face, derived, stamp, contract }: Judged): Check {
  const code = 'contract.observation'
  const blocks = blocksOf(contract)
  const supplied = face?.proprioception
  if (!blocks?.length) return check(code, 'skip', skipped('observation', face, stamp))
  if (!supplied)
    return check(code, 'skip', 'The robot does not say which observation terms it can supply.', {
      data: verdict(derived ? 'derived' : 'stamped'),
    })
  const missing = blocks.filter((block) => !supplied.includes(block) && !made.test(block))
  if (missing.length === 0)
    return check(code, 'pass', 'The robot supplies every observation term of the policy.', { data: verdict('match') })
  return check(code, 'warn', `The robot does not say that it supplies ${missing.join(', ')}.`, {
    names: missing,
    hint:
      'Add the terms to `proprioception` of the robot if it has them; otherwise its real self cannot run the ' +
      'policy.',
    data: verdict('mismatch'),
  })
}

/** `embodiment.fingerprint`: the policy's own against that of the robot's interface as it is now. */
export function fingerprintCheck({ own, robotFingerprint, derived, face }: Judged): Check {
  const code = 'embodiment.fingerprint'
  const data = { policy: own, robot: robotFingerprint }
  if (own === null)
    return derived
      ? check(code, 'pass', "The policy gets the fingerprint of the robot's interface.", {
          data: verdict('derived', data),
        })
      : check(code, 'skip', 'The policy has no embodiment fingerprint.')
  if (!face)
    return check(code, 'skip', 'There is no interface of a robot to compare with.', { data: verdict('stamped', data) })
  if (own === robotFingerprint)
    return check(code, 'pass', "The policy was made for the robot's interface as it is.", {
      data: verdict('match', data),
    })
  return check(code, 'fail', "The policy was made for another interface than the robot's current one.", {
    names: ['embodiment_fingerprint'],
    hint:
      'The fields above say what differs. Where none does, the interface changed in something that a contract does ' +
      'not hold.',
    data: verdict('mismatch', data),
  })
}
