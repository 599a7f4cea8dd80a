// Shows what the score will do if nothing else happens.
import { Skeleton, Text } from '@mantine/core'
import { useRead } from '../app/query-client.ts'
import { sayForecast } from './forecast-words.ts'

const DAYS = 365

export function ForecastLine({ id }: { id: string }) {
  const forecast = useRead('GET /v1/employees/{id}/forecast', {
    params: { id },
    query: { days: DAYS },
  })
  if (forecast.error) return null
  if (!forecast.data) return <Skeleton h={16} w={280} />
  return <Text size="sm">{sayForecast(forecast.data)}</Text>
}
