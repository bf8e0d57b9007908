/**
 * What an unstamped policy needs before its contract can be derived: the robot's interface, and values that no robot
 * has. Pure.
 */
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import { type Need, need } from '../request.ts'
import { blocksOf, derivedContract } from './contract.ts'
import type { ModelCheckObs, ModelCheckRequest } from './model-request.ts'
import type { Policy } from './read-policy.ts'

type Document = Readonly<Record<string, unknown>>

/** All of them block a publish. */
export function missingAnswers(
  { stamp }: Policy,
  face: EmbodimentInterface | null,
  request: ModelCheckRequest,
): Need[] {
  const needs: Need[] = []
  const ask = (field: string, why: string, suggestion: string) =>
    needs.push(need('blocking', field, why, { suggestion }))
  if (!face)
    ask(
      'robot_repo',
      'The policy does not say which robot it is for, and there is no interface to take its contract from.',
      'Check it against a robot whose card has an interface.',
    )
  if (!blocksOf(stamp.contract)?.length && !request.obs?.blocks?.length)
    ask(
      'model.obs',
      'Neither the policy nor the robot can say what the policy sees.',
      'Give model.obs.blocks: the observation terms in the order that it was trained with.',
    )
  if (!stamp.controlClass && !request.control_class)
    ask('model.control_class', 'The policy does not say its control class.', 'Answer reflex, skill or planner.')
  return needs
}

/** Values of the contract that the policy declares stay; the rest comes from the robot and the answers. */
export function stampedContract(own: Document | null, face: EmbodimentInterface, obs: ModelCheckObs): Document {
  const derived = derivedContract(face, obs)
  const declared = Object.entries(own ?? {}).filter(([, value]) => value !== null)
  const answered = blocksOf(own)?.length ? {} : { observation: derived.observation }
  return { ...derived, ...Object.fromEntries(declared), ...answered }
}
