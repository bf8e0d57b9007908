/**
 * `hub env`: what the commands of this machine use, and whose credential it is. Prints no secret, but for `--hf`: the
 * settings of Hugging Face's clients for this hub, of which the key is one.
 */

import { type HubClient, ProblemError } from '@hub/client/internal'
import type { Command } from 'commander'
import { type CommandResult, type CommonOptions, common, runCommand } from './client-session.ts'
import { type ClientSettings, settingsFile } from './client-settings.ts'
import { hubExamples, linesOf } from './output.ts'
import type { AskingIo } from './prompt.ts'
import { inLine } from './terminal.ts'

const help = `
Works without a reachable hub and without a login: it says what is missing.
With --hf it prints the settings by which LeRobot, hf and huggingface_hub use this hub; the key is one of them.
${hubExamples('env', 'env --json')}
  $ eval "$(hub env --hf)"`

/** Adds it to the `hub` program. */
export function registerEnvCommand(program: Command, io: AskingIo): void {
  common(program.command('env').description('Show the hub, the account and the files that commands use'), io)
    .option('--hf', "print the settings of Hugging Face's clients for this hub, for a shell")
    .addHelpText('after', help)
    .action(({ hf = false, ...options }: CommonOptions & { hf?: boolean }) => {
      const json = options.json ?? program.opts<CommonOptions>().json
      return runCommand(io, { ...options, json }, async (client, settings) => {
        if (hf) return hfSettings(settings)
        return report(client, settings, { configFile: settingsFile(io.env), version: program.version() ?? null })
      })
    })
}

/** Three settings; two without a login. Xet is not offered, and newer clients use it unless they are told. */
function hfSettings({ url, token }: ClientSettings): CommandResult {
  const settings = { HF_ENDPOINT: url, ...(token !== null && { HF_TOKEN: token }), HF_HUB_DISABLE_XET: '1' }
  const lines = Object.entries(settings).map(([name, value]) =>
    inLine(`export ${name}='${value.replaceAll("'", "'\\''")}'`),
  )
  if (token === null) lines.push('# HF_TOKEN: not logged in (hub login)')
  return { json: settings, text: lines.map((line) => `${line}\n`).join('') }
}

async function report(
  client: HubClient,
  settings: ClientSettings,
  own: { readonly configFile: string; readonly version: string | null },
): Promise<CommandResult> {
  const hub = await client.health().catch(faultOf)
  const me = settings.token === null || 'fault' in hub ? null : await client.me().catch(faultOf)
  const known = me !== null && !('fault' in me) ? me : null
  const json = {
    url: settings.url,
    url_from: settings.urlFrom,
    reachable: !('fault' in hub),
    token_from: settings.tokenFrom,
    account: known?.account.handle ?? null,
    credential: known?.kind ?? null,
    scope: known?.scope ?? null,
    expires_at: known?.expires_at ?? null,
    fault: 'fault' in hub ? hub.fault : me !== null && 'fault' in me ? me.fault : null,
    config_file: own.configFile,
    cache_dir: settings.cacheDir,
    client_version: own.version,
    hub_version: 'fault' in hub ? null : hub.version,
  }
  return { json, text: linesOf({ ...json, token_from: json.token_from ?? 'nowhere: not logged in (hub login)' }) }
}

const faultOf = (error: unknown) => ({
  fault:
    error instanceof ProblemError && error.status === 401
      ? 'the hub refuses the credential'
      : String(error instanceof Error ? error.message : error),
})
