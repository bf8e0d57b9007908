/** Answers of the hub that come late: a person acts before they are there. */
import type { Page, Route } from '@hub/testing/browser'

/** The operation that a request to the graph names. */
function operationOf(route: Route): string {
  const { operationName, query } = route.request().postDataJSON()
  return operationName ?? /^\s*\w+ (\w+)/.exec(query)?.[1] ?? ''
}

export const variablesOf = (route: Route) => route.request().postDataJSON().variables ?? {}

/** Handles what the page asks the graph by the name of its operation; what is not named goes on as it is. */
export async function answers(page: Page, handlers: Readonly<Record<string, (route: Route) => Promise<void>>>) {
  await page.route('**/graphql', (route) => handlers[operationOf(route)]?.(route) ?? route.continue())
}

/** Holds answers back. `asked` is done once one is held; `release` lets them and later ones through. */
export function gate() {
  const [asked, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const opened = () => {
    asked.resolve()
    return open.promise
  }
  return {
    asked: asked.promise,
    release: () => open.resolve(),
    opened,
    async hold(route: Route) {
      await opened()
      // The page may have given it up.
      await route.continue().catch(() => undefined)
    },
    /** As the hub answers now, however late the page has it. */
    async holdAnswer(route: Route) {
      const response = await route.fetch()
      await opened()
      await route.fulfill({ response }).catch(() => undefined)
    },
  }
}
