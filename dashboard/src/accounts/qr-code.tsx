// A QR code, drawn here as one path: the secret in it never leaves the page.
import makeQr from 'qrcode-generator'
import { useMemo } from 'react'

/** Readers want four modules of silence around it. */
const QUIET = 4

function drawModules(text: string): { size: number; path: string } {
  const qr = makeQr(0, 'M')
  qr.addData(text)
  qr.make()
  const size = qr.getModuleCount()
  let path = ''
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      if (qr.isDark(row, column)) path += `M${column + QUIET} ${row + QUIET}h1v1h-1z`
    }
  }
  return { size: size + 2 * QUIET, path }
}

export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => drawModules(text), [text])
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={220}
      height={220}
      shapeRendering="crispEdges"
      className="qr-code"
    >
      <rect width={size} height={size} fill="#fff" rx={2} />
      <path d={path} fill="#000" />
    </svg>
  )
}
