/**
 * Values that a read shows for members that were left out, and a put takes back: what was left out is hashed as left
 * out, so a card that is read and put again must keep its fingerprint. Nulls need no rule, since a fingerprint leaves
 * them out. Contract, "Robot cards".
 */
import type { RobotCardDocument } from './card-schema.ts'
import type { EmbodimentInterface } from './interface-schema.ts'

type EndEffector = NonNullable<EmbodimentInterface['end_effectors']>[number]
type Actuator = NonNullable<RobotCardDocument['actuators']>[number]

/** An end effector is in the model unless the card denies it. */
export const isInModel = ({ in_mjcf }: Pick<EndEffector, 'in_mjcf'>): boolean => in_mjcf ?? true

/** An actuator with every member that the interface lists; vendor fields are unchanged. */
export const wholeActuator = (actuator: Actuator): Actuator => ({
  ...actuator,
  model: actuator.model ?? null,
  count: actuator.count ?? null,
})

/**
 * The card without what a read of the stored card shows in addition: `in_mjcf: true` of end effectors that the stored
 * card has without it.
 */
export function withoutReadDefaults(card: RobotCardDocument, stored: RobotCardDocument | null): RobotCardDocument {
  const face = card.interface ?? null
  const effectors = face?.end_effectors
  const open = leftOpen(stored?.interface?.end_effectors ?? [])
  const isFilled = (effector: EndEffector) => effector.in_mjcf === true && open.has(effector.name)
  if (!face || !effectors?.some(isFilled)) return card
  const kept = effectors.map((effector) => {
    const { in_mjcf: _filled, ...given } = effector
    return isFilled(effector) ? given : effector
  })
  return { ...card, interface: { ...face, end_effectors: kept } }
}

/** Whether the card says what a read may have filled in. */
export const mayHaveReadDefaults = (card: RobotCardDocument): boolean =>
  card.interface?.end_effectors?.some(({ in_mjcf }) => in_mjcf === true) ?? false

/** Names of the end effectors that say nothing. */
function leftOpen(effectors: readonly EndEffector[]): ReadonlySet<string> {
  const said = new Set(effectors.filter(({ in_mjcf }) => typeof in_mjcf === 'boolean').map(({ name }) => name))
  return new Set(effectors.map(({ name }) => name).filter((name) => !said.has(name)))
}
