/** Values that requests of both dialects name: of things that are there, by the name of the member. */
import type { Dice } from './dice.ts'
import type { Known } from './json-values.ts'
import type { Lab } from './lab.ts'

/** What stands in members of these names. */
export function knownTo(lab: Lab): Known {
  const { things, contents } = lab
  const repoName = (dice: Dice) => things.pick(`${dice.pick(['dataset', 'model', 'robot'])} repo`, dice)
  const thing = (kind: string) => (dice: Dice) => things.pick(kind, dice)
  const table: Readonly<Record<string, (dice: Dice) => unknown>> = {
    owner: (dice) => (dice.chance(0.7) ? undefined : things.pick('handle', dice)),
    account: thing('handle'),
    handle: thing('handle'),
    robot: thing('robot repo'),
    robot_repo: thing('robot repo'),
    robotRepo: thing('robot repo'),
    model_repo: thing('model repo'),
    modelRepo: thing('model repo'),
    output_model_repo: thing('model repo'),
    outputModelRepo: thing('model repo'),
    repo: repoName,
    dataset: (dice) => [`svc://${things.pick('dataset repo', dice)}`],
    parent_run_id: (dice) => (dice.chance(0.5) ? null : things.pick('run', dice)),
    parentRunId: (dice) => (dice.chance(0.5) ? null : things.pick('run', dice)),
    source_run_id: thing('run'),
    device_id: thing('dev'),
    film_id: thing('film'),
    rollout: (dice) => (dice.chance(0.5) ? null : things.pick('roll', dice)),
    other: () => things.newest('other rollout'),
    approval_token: thing('approval token'),
    device_code: thing('approved code'),
    deviceCode: thing('approved code'),
    userCode: thing('open code'),
    session_id: thing('esess'),
    upload_id: thing('upload_id'),
    path: thing('path'),
    paths: (dice) => [things.pick('path', dice)],
    entry: thing('path'),
    onnx_path: thing('path'),
    at: (dice) => dice.pick<unknown>(['1', '2', 'first', things.pick('run', dice), '2030-01-01T00:00:00Z']),
    from: (dice) => dice.pick(['0', '1', 'first']),
    to: (dice) => dice.pick(['1', '2', 'first']),
    template: (dice) => dice.pick(['act', 'act', 'diffusion', 'sim']),
    gpu: (dice) => dice.pick<unknown>(['l4', 'a10g', 'h100', null]),
    worker: (dice) => dice.pick(['box', 'box', 'farm 7']),
    // A longer wait for work is only a longer test.
    wait_s: (dice) => (dice.chance(0.97) ? 0 : 1),
    waitS: (dice) => (dice.chance(0.97) ? 0 : 1),
    sha256: (dice) => dice.pick(contents).sha256,
    max_hours: (dice) => dice.pick<unknown>([1, 0.5, 2, null]),
    attempt: (dice) => dice.pick<unknown>([1, null, 2]),
    month: (dice) => dice.pick(['2026-11', '2025-01']),
    cursor: thing('cursor'),
    keys: (dice) => dice.pick(['reward', 'step', 'none']),
    visibility: (dice) => dice.pick(['private', 'public']),
  }
  return (name, dice) => (dice.chance(0.9) && Object.hasOwn(table, name) ? table[name]?.(dice) : undefined)
}
