// Every dialog and drawer: Escape closes the one on top alone, and none closes while its request runs.
import { Drawer, type DrawerProps, Modal, type ModalProps } from '@mantine/core'
import {
  createContext,
  type MouseEvent,
  type ReactNode,
  useContext,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useState,
} from 'react'

type HoldIt = (by: 1 | -1) => void
type Layer = { height: number; close: () => void }

/** What is open, the one on top last. */
const layers: Layer[] = []
const LOWEST = 200

window.addEventListener(
  'keydown',
  event => {
    // A list that is open inside the dialog takes the key for itself.
    const taken = (event.target as Element).getAttribute?.('data-mantine-stop-propagation')
    if (event.key === 'Escape' && !event.isComposing && taken !== 'true') layers.at(-1)?.close()
  },
  { capture: true },
)

/** Whether the one on top covers another. */
export const hasBelow = (): boolean => layers.length > 1

/** The dialog around something; outside of one nothing is held, and nothing closes. */
const Around = createContext<{ opened: boolean; hold: HoldIt }>({ opened: true, hold: () => {} })

/** Keeps the dialog around it open while this is true: a refusal has to be seen. */
export function useHold(busy: boolean): void {
  const { hold } = useContext(Around)
  useEffect(() => {
    if (!busy) return
    hold(1)
    return () => hold(-1)
  }, [busy, hold])
}

/** False while the dialog around it fades away. */
export function useOpened(): boolean {
  return useContext(Around).opened
}

function useLayer(opened: boolean, onClose: () => void) {
  const [height, setHeight] = useState(LOWEST)
  const [held, setHeld] = useState(0)
  const [hold] = useState(() => (by: 1 | -1) => setHeld(before => before + by))
  const close = () => {
    if (held === 0) onClose()
  }
  const closeNow = useEffectEvent(close)
  useLayoutEffect(() => {
    if (!opened) return
    const layer = { height: (layers.at(-1)?.height ?? LOWEST) + 1, close: () => closeNow() }
    layers.push(layer)
    setHeight(layer.height)
    return () => {
      layers.splice(layers.indexOf(layer), 1)
    }
  }, [opened])
  const layer = {
    onClose: close,
    closeOnEscape: false,
    zIndex: height,
    closeButtonProps: { 'aria-label': 'Close', disabled: held > 0 },
    closeOnClickOutside: false,
    // The second press of a double click on what opens it is not meant for what lies beside it.
    overlayProps: { onClick: ({ detail }: MouseEvent) => detail < 2 && close() },
  }
  return { hold, layer }
}

export function Dialog({ children, ...props }: ModalProps) {
  const { hold, layer } = useLayer(props.opened, props.onClose)
  return (
    <Modal {...props} {...layer}>
      <Inside opened={props.opened} hold={hold}>
        {children}
      </Inside>
    </Modal>
  )
}

/** A dialog at the side, beside the list it belongs to. */
export function SidePanel({ children, ...props }: DrawerProps) {
  const { hold, layer } = useLayer(props.opened, props.onClose)
  return (
    <Drawer position="right" size="md" transitionProps={{ duration: 120 }} {...props} {...layer}>
      <Inside opened={props.opened} hold={hold}>
        {children}
      </Inside>
    </Drawer>
  )
}

type InsideProps = { opened: boolean; hold: HoldIt; children: ReactNode }

/** While it fades away nothing in it can be pressed once more. */
function Inside({ opened, hold, children }: InsideProps) {
  return (
    <Around value={{ opened, hold }}>
      <div inert={!opened}>{children}</div>
    </Around>
  )
}
