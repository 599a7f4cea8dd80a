// What stands in a card whose numbers could not be read; why is said at the head of the page.
import { Text } from '@mantine/core'

export function Lost() {
  return (
    <Text c="dimmed" size="sm" py="xl" ta="center">
      Could not be read.
    </Text>
  )
}
