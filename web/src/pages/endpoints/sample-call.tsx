/** How a robot's program calls an endpoint, to copy: open a session, then ask for actions. */
import { commands, policyCall } from '../../app/commands.ts'
import { Command } from '../../ui/command.tsx'

export function SampleCall({ endpointId }: { readonly endpointId: string }) {
  return (
    <section className="panel">
      <h2>Call it</h2>
      <div className="commands">
        <h3>1. Open a session, with the token of an approval in the file “approval”</h3>
        <Command
          label="command that opens a session"
          text={`${commands.openSession(endpointId, 'DEVICE')} --json > session.json`}
        />
        <h3>2. Ask for actions, in Python with openpi-client</h3>
        <Command label="Python program that asks for actions" text={policyCall} />
      </div>
    </section>
  )
}
