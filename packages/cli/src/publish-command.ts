/** `hub publish`: publishes what a check drafted. */

import type { RemoteCheck } from '@hub/client/internal'
import { isJsonObject } from '@hub/formats/exact-json'
import { type Command, Option } from 'commander'
import { type ClientIo, countText } from './client-output.ts'
import { type CommonOptions, common, runCommand } from './client-session.ts'
import { inLine } from './terminal.ts'

interface PublishOptions extends CommonOptions {
  readonly visibility?: 'public' | 'private'
  readonly repo?: string
  readonly smoke?: boolean
  readonly message?: string
}

const examples = `
Examples:
  $ hub publish check_01k0…
  $ hub publish check_01k0… --visibility public
  $ hub publish check_01k0… --repo ada/walker --smoke`

/** Adds it to the `hub` program. */
export function registerPublishCommand(program: Command, io: ClientIo): void {
  common(program.command('publish <check>').description('Publish the draft of a check that succeeded'), io)
    .addOption(new Option('--visibility <visibility>', 'who sees the repo').choices(['public', 'private']))
    .option('--repo <repo>', 'of a model check: publish into this model repo, which is made if it does not exist')
    .option('--smoke', 'of a model check: queue a smoke rollout afterwards')
    .option('-m, --message <text>', 'what to remember about the change; see hub log')
    .addHelpText('after', examples)
    .action((id: string, { visibility, repo, smoke, message, ...options }: PublishOptions) => {
      const json = options.json ?? program.opts<CommonOptions>().json
      return runCommand(io, { ...options, json }, async (client) => {
        const check = await client.checks.publish(id, { visibility, repo, smoke, message })
        return { json: check, text: publishedText(check) }
      })
    })
}

function publishedText({ id, published, robot_repo: robot, model_repo: model, kind }: RemoteCheck): string {
  const {
    files,
    visibility,
    interface_fingerprint: fingerprint,
    smoke_rollout_id: rollout,
    smoke_error: error,
  } = published ?? {}
  const paths = Array.isArray(files) ? files.flatMap((file) => (isJsonObject(file) ? [String(file.path)] : [])) : []
  const lines = [
    `published ${id}: ${countText(paths.length, 'file')}, ${visibility}`,
    ...paths.map((path) => `  ${path}`),
    ...(kind === 'robot' ? [`robot     ${robot?.full_name ?? ''}`] : model ? [`draft     ${model.full_name}`] : []),
    ...(fingerprint ? [`interface ${fingerprint}`] : []),
    ...(rollout ? [`smoke     ${rollout}`] : []),
    ...(error ? [`smoke     not queued: ${error}`] : []),
  ]
  return lines.map((line) => `${inLine(line)}\n`).join('')
}
