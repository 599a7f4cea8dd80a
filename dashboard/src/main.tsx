// The dashboard begins here: theme, data, router, and what is needed everywhere.
import '@fontsource-variable/inter/index.css'
import '@mantine/core/styles.css'
import './styles.css'
import './ui/dialogs.css'
import './forced-colors.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { followAttention } from './app/attention.ts'
import { EndedDialog } from './app/ended-dialog.tsx'
import { MovedDialog } from './app/moved-dialog.tsx'
import { printInLight } from './app/print.ts'
import { queryClient } from './app/query-client.ts'
import { router } from './app/router.tsx'
import { SESSION_KEY } from './app/session.ts'
import { theme, variables } from './app/theme.ts'
import { keepFocus } from './ui/keep-focus.ts'
import { ToastRack } from './ui/toast-rack.tsx'

const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''
// Read by the library that keeps the page still behind a dialog.
Object.assign(globalThis, { __webpack_nonce__: nonce })

keepFocus()
printInLight()
// Who comes back learns at once that the session has ended, or keeps it.
followAttention(() => queryClient.invalidateQueries({ queryKey: SESSION_KEY }))

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <EndedDialog />
        <MovedDialog />
        <ToastRack />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
