/** `hub env`: what the commands of this machine use, and whose credential it is. Prints no secret. */

import { type HubClient, ProblemError } from '@hub/client/internal'
import type { Command } from 'commander'
import { type CommandResult, type CommonOptions, common, runCommand } from './client-session.ts'
import { type ClientSettings, settingsFile } from './client-settings.ts'
import { hubExamples, linesOf } from './output.ts'
import type { AskingIo } from './prompt.ts'

const help = `
Works without a reachable hub and without a login: it says what is missing.
${hubExamples('env', 'env --json')}`

/** Adds it to the `hub` program. */
export function registerEnvCommand(program: Command, io: AskingIo): void {
  common(program.command('env').description('Show the hub, the account and the files that commands use'), io)
    .addHelpText('after', help)
    .action((options: CommonOptions) => {
      const json = options.json ?? program.opts<CommonOptions>().json
      return runCommand(io, { ...options, json }, (client, settings) =>
        report(client, settings, { configFile: settingsFile(io.env), version: program.version() ?? null }),
      )
    })
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
