/**
 * What a person answers for a check: from options to the request, and from what a draft needs back to the option that
 * answers it. Pure.
 */
import type { NewCheck } from '@hub/client/internal'
import { isJsonObject, parseExact } from '@hub/formats/exact-json'
import { UsageError } from './client-session.ts'

export interface CheckAnswers {
  readonly controlHz?: string
  readonly action?: string
  readonly base?: string
  readonly option: string[]
  readonly controlClass?: string
  readonly obs?: string
}

export const actions = ['position', 'position_offset', 'position_delta', 'velocity', 'torque']
export const controlClasses = ['reflex', 'skill', 'planner']

/** Names that `--option` takes. */
const optionNames: readonly string[] = [
  'action_scale',
  'action_clip',
  'kp',
  'kd',
  'armature',
  'friction_loss',
  'proprioception',
  'command',
  'default_pose',
  'discard_visual',
] satisfies (keyof NonNullable<NewCheck['options']>)[]

/** Options whose answer is a list of words. */
const listOptions: readonly string[] = ['proprioception']

/** The members of the request that a robot check requires. Throws `UsageError` for one that is missing or no number. */
export function robotAnswers({ controlHz, action, base, option }: CheckAnswers): Partial<NewCheck> {
  if (controlHz === undefined || action === undefined)
    throw new UsageError(
      'A robot check needs --control-hz (the rate that policies run at on the real robot) and --action (what ' +
        'their output means).',
    )
  const rate = Number(controlHz)
  if (controlHz.trim() === '' || !(rate > 0)) throw new UsageError('--control-hz takes a number over 0.')
  const answers = Object.fromEntries(option.map(answerOf))
  return {
    control_hz: rate,
    action: action as NewCheck['action'],
    ...(base !== undefined && { base }),
    ...(option.length > 0 && { options: answers }),
  }
}

/** The members of `model` next to its repo. */
export function modelAnswers({ controlClass, obs }: CheckAnswers): Partial<NonNullable<NewCheck['model']>> {
  return {
    ...(controlClass !== undefined && { control_class: controlClass as 'reflex' }),
    ...(obs !== undefined && { obs: obsOf(obs) }),
  }
}

/** Terms separated by commas, or a whole object. */
function obsOf(text: string): NonNullable<NonNullable<NewCheck['model']>['obs']> {
  if (!text.trim().startsWith('{')) return { blocks: words(text) }
  const given = parsed(text)
  if (isJsonObject(given)) return given
  throw new UsageError(`--obs takes terms separated by commas, or a JSON object, not ${JSON.stringify(text)}.`)
}

function answerOf(pair: string): [string, unknown] {
  const at = pair.indexOf('=')
  if (at < 1) throw new UsageError(`--option takes name=value, not ${JSON.stringify(pair)}.`)
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
  if (!optionNames.includes(name))
    throw new UsageError(`--option has no ${JSON.stringify(name)}: it takes ${optionNames.join(', ')}.`)
  const given = parsed(value)
  if (given === undefined) return [name, listOptions.includes(name) ? words(value) : value]
  return [name, given]
}

const words = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)

function parsed(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}

const flags: Readonly<Record<string, string>> = {
  base: '--base fixed, or --base floating',
  control_hz: '--control-hz HZ',
  action: `--action ${actions.join('|')}`,
  robot_repo: '--robot OWNER/REPO',
  'model.obs': '--obs TERM,TERM,…',
  'model.control_class': `--control-class ${controlClasses.join('|')}`,
  'options.proprioception': '--option proprioception=joint_pos,joint_vel',
  'options.default_pose': `--option 'default_pose={"JOINT": 0}'`,
  'options.discard_visual': '--option discard_visual=true',
}

/** The option that answers a need; null where only the files do. */
export function answeringFlag(field: string): string | null {
  const option = /^options\.(\w+)$/.exec(field)?.[1]
  return flags[field] ?? (option === undefined ? null : `--option ${option}=VALUE`)
}
