/** What a person does first, while they have no repo. */
import { commands } from '../../app/commands.ts'
import { Link } from '../../app/navigate.tsx'

export function FirstSteps() {
  return (
    <section className="panel" aria-label="First steps">
      <h2>First steps</h2>
      <ol className="first-steps">
        <li>
          <Link to="newRepo" params={{}}>
            Make a repo
          </Link>{' '}
          for a robot, a data set or a model, and drop its folder on the page.
        </li>
        <li>
          Check the robot: open its repo and start a check, or run <code>{commands.check()}</code> on its folder.
        </li>
        <li>
          <Link to="runs" params={{}}>
            Train a policy
          </Link>{' '}
          on it, or log the runs of your own trainer.
        </li>
        <li>
          <Link to="endpoints" params={{}}>
            Serve the model
          </Link>{' '}
          and approve a device that may use it.
        </li>
        <li>
          <Link to="orgs" params={{}}>
            Make an organization
          </Link>{' '}
          to share all of this with your team.
        </li>
      </ol>
    </section>
  )
}
