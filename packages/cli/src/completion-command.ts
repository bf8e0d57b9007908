/** `hub completion`: a script with which a shell completes commands, options and their values. */
import { Argument, type Command } from 'commander'
import type { ClientIo } from './client-output.ts'
import { completionScripts, type Shell } from './completion-scripts.ts'
import { completionTree } from './completion-tree.ts'
import { hubExamples } from './output.ts'
import { print, printJson } from './terminal.ts'

const help = `
Evaluate the script where the shell starts: in ~/.bashrc, ~/.zshrc (after compinit) or ~/.config/fish/config.fish. It is made from this version's commands.
${hubExamples('completion bash >> ~/.bashrc', 'completion zsh > ~/.zfunc/_hub', 'completion fish | source')}`

/** Adds it to the `hub` program. */
export function registerCompletionCommand(program: Command, io: ClientIo): void {
  program
    .command('completion')
    .description('Print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'shell to complete in').choices(Object.keys(completionScripts)))
    .option('--json', 'one JSON object on standard output')
    .addHelpText('after', help)
    .action((shell: Shell, { json }: { json?: boolean }) => {
      const script = completionScripts[shell](completionTree(program))
      if (json ?? program.opts<{ json?: boolean }>().json) printJson(io.stdout, { shell, script })
      else print(io.stdout, script)
      io.exit(0)
    })
}
