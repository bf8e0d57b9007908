/**
 * Rules about the numbers, words and paths of a card. Pure. Vocabularies are open: an unknown word is stored, with a
 * warning.
 */
import { nearestName } from '@hub/mjcf/nearest-name'
import type { Check, CheckFault } from '@hub/mjcf/verdict/check'
import type { ReadableCard } from '../readable-card.ts'
import {
  conclude,
  drivableJoints,
  interfaceCheck,
  type KnownModel,
  undecidedReason,
  unknownName,
  unsoundReason,
} from './rule.ts'

/** `interface.ranges`: every command range from low to high; a soft limit outside (0, 1] is a warning. */
export function rangesCheck(card: ReadableCard): Check {
  return interfaceCheck('interface.ranges', card, ['command_space', 'safety'], ({ command_space, safety }) => {
    const ranges = Object.entries(command_space?.ranges ?? {})
    const fail = ranges.flatMap(([name, [lower, upper]]) => {
      const loc = ['interface', 'command_space', 'ranges', name]
      return lower <= upper ? [] : [backwards(name, lower, upper, loc)]
    })
    const factor = safety?.soft_limit_factor
    const warn: CheckFault[] = []
    if (factor !== undefined && (factor <= 0 || factor > 1)) {
      warn.push({
        message: `soft_limit_factor is ${factor}, not above 0 and at most 1.`,
        names: ['soft_limit_factor'],
        hint: null,
        loc: ['interface', 'safety', 'soft_limit_factor'],
      })
    }
    return {
      fail,
      warn,
      pass: ranges.length > 0 ? 'Every command range goes from low to high.' : 'The interface has no command ranges.',
      data: { ranges: ranges.length },
    }
  })
}

/**
 * `card.limits`: lower at most upper; a joint that is not in the model and a negative velocity or effort limit are
 * warnings.
 */
export function limitsCheck({ limits, unsound }: ReadableCard, model: KnownModel): Check {
  if (unsound.has('limits')) return conclude('card.limits', { skip: unsoundReason('limits'), pass: '' })
  const entries = Object.entries(limits ?? {})
  if (entries.length === 0) return conclude('card.limits', { skip: 'The card names no limits.', pass: '' })
  const fail = entries.flatMap(([name, { lower, upper }]) =>
    typeof lower === 'number' && typeof upper === 'number' && lower > upper
      ? [backwards(name, lower, upper, ['limits', name])]
      : [],
  )
  const negative = entries.flatMap(([name, limit]) =>
    (['velocity', 'effort'] as const).flatMap((member) =>
      (limit[member] ?? 0) < 0
        ? [{ message: `${name}: ${member} is negative.`, names: [name], hint: null, loc: ['limits', name, member] }]
        : [],
    ),
  )
  const drivable = drivableJoints(model)
  const isKnown = drivable && model.reading && model.doubt === null && undecidedReason(model.reading, 'joints') === null
  const strange = isKnown
    ? entries.flatMap(([name]) =>
        drivable.has(name)
          ? []
          : [
              unknownName({
                name,
                message: `${name} is not a hinge or slide joint of the model.`,
                loc: ['limits', name],
                candidates: drivable,
              }),
            ],
      )
    : []
  const pass = 'The limits of every joint go from low to high.'
  return conclude('card.limits', { fail, warn: [...negative, ...strange], pass, data: { joints: entries.length } })
}

function backwards(name: string, lower: number, upper: number, loc: readonly (string | number)[]): CheckFault {
  return { message: `${name}: ${lower} is above ${upper}.`, names: [name], hint: 'Write the lower bound first.', loc }
}

/** `card.dof`: a number that matches neither the joints of the model nor those of `joint_order` is a warning. */
export function dofCheck({ dof, interface: face }: ReadableCard, model: KnownModel): Check {
  if (dof === undefined) return conclude('card.dof', { skip: unsoundReason('dof'), pass: '' })
  const { reading } = model
  if (!reading) return conclude('card.dof', { skip: model.reason, pass: '' })
  const open = model.doubt ?? undecidedReason(reading, 'joints')
  if (open !== null) return conclude('card.dof', { skip: open, pass: '' })
  const driven = reading.joints.filter(({ type }) => type === 'hinge' || type === 'slide').length
  const all = reading.joints.reduce((sum, { type }) => sum + freedom[type], 0)
  const data = { dof, joints: driven, degrees_of_freedom: all, joint_order: face?.joint_order?.length ?? null }
  if ([driven, all, all - 6, data.joint_order].includes(dof))
    return conclude('card.dof', { pass: `dof is ${dof}.`, data })
  const message = `dof is ${dof}, but the model has ${driven} hinges and slides.`
  return conclude('card.dof', { warn: [{ message, names: ['dof'], hint: null, loc: ['dof'] }], pass: '', data })
}

const freedom = { hinge: 1, slide: 1, ball: 3, free: 6 } as const

/** `card.thumbnails`: both stills are files of the repo. `present` are those that exist. */
export function thumbnailsCheck(card: ReadableCard, present: ReadonlySet<string>): Check {
  const { thumbnail_paths: paths, unsound } = card
  if (unsound.has('thumbnail_paths'))
    return conclude('card.thumbnails', { skip: unsoundReason('thumbnail_paths'), pass: '' })
  if (!paths) return conclude('card.thumbnails', { skip: 'The card names no stills.', pass: '' })
  const fail = (['light', 'dark'] as const).flatMap((theme) => {
    const path = paths[theme]
    if (present.has(path)) return []
    const message = `${path} is not a file of this repo.`
    const hint = 'Upload it first, or omit thumbnail_paths.'
    return [{ message, names: [path], hint, loc: ['thumbnail_paths', theme] }]
  })
  return conclude('card.thumbnails', { fail, pass: 'Both stills are files of the repo.' })
}

const words = {
  base: ['fixed', 'floating'],
  mode: ['position', 'velocity', 'torque', 'pd', 'effort'],
  semantics: ['position', 'position_offset', 'position_delta', 'velocity', 'torque', 'ee_pose', 'ee_delta_pose'],
  safe_stop: ['damp', 'hold', 'zero_torque', 'rest_pose'],
  part: ['arm', 'leg', 'torso', 'head', 'hand', 'gripper', 'wheel', 'base', 'tail', 'other'],
  command: ['velocity', 'motion', 'ee_pose', 'joint_position', 'task', 'none'],
} as const

/** `interface.vocabulary`: words of the known vocabulary; others are stored and hashed, with a warning. */
export function vocabularyCheck(card: ReadableCard): Check {
  return interfaceCheck('interface.vocabulary', card, [], () => {
    const face = card.interface ?? {}
    const warn = [
      ...strangeWord('base', face.base, ['base']),
      ...(face.actuation ?? []).flatMap(({ mode }, at) => strangeWord('mode', mode, ['actuation', at, 'mode'])),
      ...strangeWord('semantics', face.action?.semantics, ['action', 'semantics']),
      ...(face.parts ?? []).flatMap(({ kind }, at) => strangeWord('part', kind, ['parts', at, 'kind'])),
      ...strangeWord('command', face.command_space?.kind, ['command_space', 'kind']),
      ...strangeWord('safe_stop', face.safety?.safe_stop, ['safety', 'safe_stop']),
    ]
    return { warn, pass: 'All words are in the known vocabulary.' }
  })
}

function strangeWord(
  list: keyof typeof words,
  word: string | undefined,
  loc: readonly (string | number)[],
): CheckFault[] {
  const known: readonly string[] = words[list]
  if (word === undefined || known.includes(word)) return []
  const near = nearestName(word, known)
  const hint = `${near === null ? '' : `Did you mean ${near}? `}Known words: ${known.join(', ')}.`
  return [
    {
      message: `${loc.at(-1)} is ${word}, which is not in the known vocabulary.`,
      names: [word],
      hint,
      loc: ['interface', ...loc],
    },
  ]
}
