// Where the form of a login may lead: an app's request that comes after it can send the browser on to the app at once.
import { formTarget } from '../accounts/page-layout.ts'
import type { Context } from '../platform/context.ts'
import { ApiError } from '../platform/errors.ts'
import { readForm } from '../platform/form-body.ts'
import { findClient } from './authorize.ts'

const AUTHORIZE = '/oauth/authorize?'

/** Invariant: a place is named only where an app has registered it; anybody may write the address of a login. */
export async function targetsOfLogin(context: Context, next: string): Promise<string[]> {
  if (!next.startsWith(AUTHORIZE)) return []
  try {
    const { redirect_uri } = await findClient(context, readForm(next.slice(AUTHORIZE.length)))
    return formTarget(redirect_uri)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'VALIDATION_ERROR') return []
    throw error
  }
}
