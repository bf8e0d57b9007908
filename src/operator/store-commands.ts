/** Commands about the object store. */
import type { Command } from 'commander'
import type { ClientIo } from 'hub/client-output'
import { commandGroup } from 'hub/command-group'
import { examples, printResult } from 'hub/output'
import { ofServer } from './load-server.ts'

/** Adds `store allow-pages`. */
export function registerStoreCommands(program: Command, io: ClientIo): void {
  commandGroup(program, 'store', 'Set up the object store')
    .command('allow-pages')
    .description('Permit pages of this hub to send files to the S3 bucket and read them (a CORS rule)')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('store allow-pages'))
    .action(async ({ json }: { json?: boolean }) => {
      const [{ readConfig }, { pageOrigins }, { letPagesIn }] = await ofServer(() =>
        Promise.all([
          import('../platform/config.ts'),
          import('./page-origins.ts'),
          import('../store/objects/s3-cors.ts'),
        ]),
      )
      const config = readConfig(io.env)
      if (config.objectStore.kind !== 's3')
        throw new Error('The object store is not an S3 bucket (OBJECT_STORE=s3): its files come from the hub itself.')
      const origins = pageOrigins(config)
      await letPagesIn(config.objectStore.s3, origins)
      printResult(io, { bucket: config.objectStore.s3.bucket, origins }, json ?? false)
    })
}
