// Where toasts are shown; read out by screen readers as they come.
import { Button, Notification, Portal, Stack } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { RequestId } from './error-note.tsx'
import { Icon } from './icons.tsx'
import { sentence } from './sentence.ts'
import { dismissToast, toastStore } from './toasts.ts'

export function ToastRack() {
  const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.read)
  return (
    <Portal>
      <Stack className="toast-rack" gap="xs" role="status" aria-live="polite">
        {toasts.map(({ id, text, tone, request_id, action }) => (
          <Notification
            key={id}
            data-toast={id}
            color={tone === 'good' ? 'teal' : 'red'}
            icon={<Icon name={tone === 'good' ? 'check' : 'warning'} size={16} />}
            onClose={() => dismissToast(id)}
            closeButtonProps={{ 'aria-label': 'Dismiss' }}
            withBorder
          >
            {sentence(text)} {request_id && <RequestId id={request_id} />}
            {action && (
              <Button
                size="compact-xs"
                variant="light"
                onClick={() => {
                  dismissToast(id)
                  action.run()
                }}
              >
                {action.label}
              </Button>
            )}
          </Notification>
        ))}
      </Stack>
    </Portal>
  )
}
