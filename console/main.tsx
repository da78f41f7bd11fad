import './design/tokens.css'
import './design/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { I18nProvider } from 'react-aria-components'
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

createRoot(document.querySelector('#console') as HTMLElement).render(
  <StrictMode>
    <I18nProvider locale="en-US">
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
)
