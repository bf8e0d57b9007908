/** What a run was given to train with: its config as it reported it, over the hyperparameters of its recipe. */
import type { HubClient, RemoteRun } from '@hub/client/internal'
import { isJsonObject, writeExact } from '@hub/formats/exact-json'

/** Values as text, by path. */
export type Settings = ReadonlyMap<string, string>

/** Reads them; of a run without a config they are those of its recipe. */
export async function readSettings(client: HubClient, run: RemoteRun): Promise<Settings> {
  const config = await client.v1.getRunConfig({ path: { run_id: run.id } })
  const { template, robot, dataset, hyperparams } = run.recipe
  const given = Object.entries({ template, robot, dataset: listText(dataset) }).filter(([, value]) => value != null)
  return new Map([
    ...given.map(([name, value]): [string, string] => [name, valueText(value)]),
    ...leaves(hyperparams, ''),
    ...config.keys.map(({ path, value }): [string, string] => [path, value]),
  ])
}

/** A setting by its path, or by the end of it if only one ends so: `lr` is `policy.optimizer.lr`. */
export function settingOf(settings: Settings, name: string): string | null {
  const exact = settings.get(name)
  if (exact !== undefined) return exact
  const ending = [...settings].filter(([path]) => path.endsWith(`.${name}`))
  return ending.length === 1 ? (ending[0]?.[1] ?? null) : null
}

const listText = (value: unknown) =>
  Array.isArray(value) ? (value.length === 0 ? null : value.map(valueText).join(', ')) : value

const valueText = (value: unknown) => (typeof value === 'string' ? value : writeExact(value))

/** Each value that is not an object, by the names on the way to it, as the paths of a config. */
function leaves(value: unknown, path: string): [string, string][] {
  if (!isJsonObject(value)) return path === '' ? [] : [[path, valueText(value)]]
  return Object.entries(value).flatMap(([name, child]) => leaves(child, path === '' ? name : `${path}.${name}`))
}
