// Journeys about what happened on one day of the service, whose days are those of UTC.

const today = () => new Date().toISOString().slice(0, 10)

/** Done again, from its beginning, where midnight has fallen into it. */
export async function withinOneDay(journey: () => Promise<void>): Promise<void> {
  for (;;) {
    const day = today()
    try {
      return await journey()
    } catch (error) {
      if (day === today()) throw error
    }
  }
}
