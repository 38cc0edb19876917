// What the page of an experiment takes from Observable Plot; see ../build_vendor.sh.
export { axisX, axisY, boxY, dot, gridY, plot } from "@observablehq/plot";
