import './design/tokens.css'
import './design/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { isNotFound, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { I18nProvider } from 'react-aria-components'
import { problemOf } from './api/problem.ts'
import { queries } from './api/queries.ts'
import { router } from './routes.tsx'
import { accountQuery } from './session/account.ts'
import { login, onLoginElsewhere } from './session/login.ts'
import { keepCsrfToken } from './session/csrf.ts'

onLoginElsewhere((userId) => {
  keepCsrfToken(undefined)
  if (userId !== undefined && userId === queries.getQueryData(accountQuery.queryKey)?.id) {
    login.set('open')
    void queries.invalidateQueries()
    return
  }
  login.set('unknown')
  void queries.resetQueries().then(() => router.invalidate())
})

// What the page needs is asked for before anything is drawn: the account, and then the page's code.
const matches = router
  .matchRoutes(router.latestLocation)
  .map(({ routeId }) => routeId as keyof typeof router.routesById)
if (matches.includes('/signed-in')) void queries.prefetchQuery(accountQuery)
for (const id of matches) void router.loadRouteChunk(router.routesById[id])

/** Pages show refusals of the API and addresses that lead nowhere. All else is a fault, and is logged. */
const onCaughtError = (error: unknown) => {
  if (!isNotFound(error) && problemOf(error).code === 'OFFLINE') console.error(error)
}

createRoot(document.querySelector('#console') as HTMLElement, { onCaughtError }).render(
  <StrictMode>
    <I18nProvider locale="en-US">
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
)
