// Reads the QR code in a picture as a phone would, by a decoder that knows nothing of how it was drawn.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

// From the package, because by itself it would be fetched from a server elsewhere.
const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(wasm)).buffer } })

export async function readQrCode(picture: Uint8Array): Promise<string> {
  const [found] = await readBarcodes(picture, { formats: ['QRCode'] })
  if (!found?.isValid) throw new Error('there is no QR code in the picture')
  return found.text
}
