// An OAuth app as the dashboard knows it.

export type OAuthApp = {
  client_id: string
  name: string
  redirect_uris: string[]
  scopes: string[]
  created_by: string
  created_at: string
  rotated_at: string | null
}

export type MadeSecret = { client_id: string; client_secret: string }

export type AppInput = { name: string; redirect_uris: string[]; scopes: string[] }

/** One a line, as people paste them. */
export const readUris = (text: string): string[] =>
  text
    .split(/\s+/)
    .map(one => one.trim())
    .filter(one => one !== '')
