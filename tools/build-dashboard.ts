// Builds the dashboard ahead of a first start, for a folder that whoever runs the service may only read.
import { buildDashboard } from '../server/src/dashboard/build-dashboard.ts'

const fault = await buildDashboard(text => console.log(text))
if (fault !== null) {
  console.error(fault)
  process.exitCode = 1
}
