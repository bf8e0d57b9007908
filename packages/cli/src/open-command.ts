/** `hub open`: the address of a page. */

import { namedPages, pageOf } from '@hub/formats/page-paths'
import type { Command } from 'commander'
import type { ClientIo } from './client-output.ts'
import { type CommonOptions, common, runCommand, UsageError } from './client-session.ts'
import { openBrowser } from './open-browser.ts'
import { hubExamples } from './output.ts'
import { inLine, print } from './terminal.ts'

const about = `
A page is a repo (owner/slug), the id of a run, check, endpoint or held request, an account (@handle), or one of
${namedPages.join(', ')}.
Prints the address and asks the hub nothing: a page that you may not see says so itself. With --browser it also opens, where the machine has a browser.`

/** Adds it to the `hub` program. */
export function registerOpenCommand(program: Command, io: ClientIo): void {
  common(program.command('open [page]').description('Print the address of a page of the hub, or open it'), io)
    .option('--browser', 'open it in the browser of this machine')
    .addHelpText(
      'after',
      `${about}\n${hubExamples('open', 'open ada/arm', 'open run_01k0… --browser', 'open runs', 'open @ada')}`,
    )
    .action((page: string | undefined, { browser = false, ...options }: CommonOptions & { browser?: boolean }) =>
      runCommand(
        io,
        { ...options, json: options.json ?? program.opts<CommonOptions>().json },
        async (_client, { url }) => {
          const address = pageAddress(url, page ?? '')
          const opened = browser && (await openBrowser(address, io.env))
          if (browser && !opened) print(io.stderr, 'No browser could be started here: open the address yourself.\n')
          return { json: { url: address, opened }, text: `${inLine(address)}\n` }
        },
      ),
    )
}

/** The address of the page that `page` names; wrong usage if it has none. */
export function pageAddress(hub: string, page: string): string {
  const path = pageOf(page)
  if (path === null)
    throw new UsageError(
      `${JSON.stringify(page)} has no page. Name a repo (owner/slug), a run, check, endpoint or held request by its id, an account (@handle), or ${namedPages.slice(0, -1).join(', ')} or ${namedPages.at(-1)}.`,
    )
  return `${hub.replace(/\/+$/, '')}${path}`
}
