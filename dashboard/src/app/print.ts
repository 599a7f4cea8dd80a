// Paper is white: a page that is shown in dark is printed in light.
const SCHEME = 'data-mantine-color-scheme'

export function printInLight(): void {
  const root = document.documentElement
  let shown = 'light'
  window.addEventListener('beforeprint', () => {
    shown = root.getAttribute(SCHEME) ?? 'light'
    root.setAttribute(SCHEME, 'light')
  })
  window.addEventListener('afterprint', () => root.setAttribute(SCHEME, shown))
}
