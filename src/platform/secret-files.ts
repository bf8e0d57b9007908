/** Secrets that an orchestrator mounts as files: `HUB_SECRET_FILE=/run/secrets/hub_secret` instead of `HUB_SECRET`. */
import { readFileSync } from 'node:fs'

/** The settings that are secrets, or contain one. Each may be given as a file under the same name with `_FILE`. */
export const secretSettings = [
  'DATABASE_URL',
  'HUB_SECRET',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'OIDC_CLIENT_SECRET',
  'METRICS_TOKEN',
] as const

type Settings = Readonly<Record<string, string | undefined>>

/**
 * The settings, with the content of the files that `_FILE` variables name, without surrounding white space. A fault
 * names the variable and the file, never its content.
 */
export function withSecretFiles(given: Settings): { readonly values: Settings; readonly faults: readonly string[] } {
  const values: Record<string, string | undefined> = { ...given }
  const faults: string[] = []
  for (const name of secretSettings) {
    const file = given[`${name}_FILE`]
    if (file === undefined) continue
    if (given[name] !== undefined) faults.push(`${name}_FILE: ${name} is set too; set one of them`)
    else {
      const text = textOf(file)
      if (text instanceof Error) faults.push(`${name}_FILE: ${file} cannot be read: ${text.message}`)
      else if (text === '') faults.push(`${name}_FILE: ${file} is empty`)
      else values[name] = text
    }
  }
  return { values, faults }
}

function textOf(file: string): string | Error {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
