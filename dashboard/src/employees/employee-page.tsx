// Stands in until it is made.
export function EmployeePage() {
  return null
}
