/** Maps of joints, and what fits, as text. */
import type { JointMap as KeptMap } from '@hub/client'
import type { Fit } from '@hub/embodiment/fit'
import type { JointMap } from '@hub/embodiment/joint-map'
import { readJointMap } from '@hub/embodiment/read-joint-map'
import { marks } from '@hub/mjcf/folder/model-text'
import { inLine } from './terminal.ts'

export type { KeptMap }

const linesOf = (lines: readonly string[]) => lines.map((line) => `${inLine(line)}\n`).join('')

/** A verdict in words. */
export const verdicts: Readonly<Record<Fit['verdict'], string>> = {
  as_is: 'fits as it is',
  mapped: 'fits with a map of joints',
  none: 'does not fit',
}

/** The verdict, then every difference with its reason; what blocks comes first. */
export function fitText(source: string, robot: string, { verdict, differences }: Fit, kept: KeptMap | null): string {
  const map = kept ? `, map version ${kept.version}${kept.reviewed_at === null ? ', not reviewed' : ''}` : ''
  return linesOf([
    `${source} on ${robot}: ${verdicts[verdict]}${map}`,
    ...differences.map(({ place, source: theirs, robot: ours, blocks, reason }) => {
      const { sign } = blocks ? marks.fail : marks.warn
      return `${sign} ${place}: ${theirs} | ${ours}: ${reason}`
    }),
  ])
}

/** Who made a kept map and when, and what it does to each joint. */
export function keptText(kept: KeptMap): string {
  const by = (person: { readonly handle: string } | null) => (person ? ` by ${person.handle}` : '')
  const review = kept.reviewed_at === null ? 'not reviewed' : `reviewed ${kept.reviewed_at}${by(kept.reviewer)}`
  const read = readJointMap(kept.map)
  return linesOf([
    `${kept.repo} to ${kept.robot}: version ${kept.version}, kept ${kept.created_at}${by(kept.creator)}, ${review}`,
    `fingerprint ${kept.fingerprint}`,
    ...('map' in read ? mapLines(read.map) : []),
  ])
}

/** A proposed map, with each guess in it. */
export const proposalText = (map: JointMap, guesses: readonly string[]) =>
  linesOf([...mapLines(map), ...guesses.map((guess) => `${marks.warn.sign} ${guess}`)])

const mapLines = ({ joints, held, dropped }: JointMap) => [
  ...joints.map(({ from, to, sign, scale, offset }) => {
    const factor = scale === 1 ? (sign === 1 ? '' : '-') : `${sign * scale} * `
    return `  ${to} = ${factor}${from}${offset === 0 ? '' : ` ${offset < 0 ? '-' : '+'} ${Math.abs(offset)}`}`
  }),
  ...held.map(({ joint, value }) => `  ${joint} = ${value}, held`),
  ...dropped.map((name) => `  ${name} goes nowhere`),
]
