/** The frame of every page: client of the graph, session, layout, and the page of the address. */
import { Suspense } from 'react'
import { Provider } from 'urql'
import { Loading } from '../ui/states.tsx'
import { ToastProvider } from '../ui/toast.tsx'
import { client } from './client.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { Layout } from './layout.tsx'
import { usePage } from './navigate.tsx'
import { NotFound, pages } from './pages.tsx'
import { SessionProvider } from './session.tsx'

export function App() {
  return (
    <Provider value={client}>
      <SessionProvider>
        <ToastProvider>
          <Layout>
            <CurrentPage />
          </Layout>
        </ToastProvider>
      </SessionProvider>
    </Provider>
  )
}

function CurrentPage() {
  const { path, match } = usePage()
  const Page = match ? pages[match.name] : NotFound
  return (
    // The key forgets an error, and the state of the page before.
    <ErrorBoundary key={path}>
      <Suspense fallback={<Loading />}>
        <Page params={match?.params ?? {}} />
      </Suspense>
    </ErrorBoundary>
  )
}
