// @ts-check
/** Generated from scheduler_core/plugins by `manage.py generate`. Do not edit. */

/**
 * Declarations of a plugin (scheduler_core/framework/about.py). `reasons` are regular expressions for the whole of one,
 * each with its kind. `points` and `weight` are those of the newest release's default profile.
 * `like` is the plugin of today whose rule it has under a former name. `source` is the address of a page that shows
 * it, if it is not that of all plugins.
 * @typedef {{ like?: string, colour?: number, looks_at?: string[], upstream?: string, points?: string[],
 *   weight?: number, reasons?: [string, string][], source?: string }} PluginData
 */

/** @type {Record<string, PluginData>} */
export const PLUGINS = {
	SchedulingGates: {
		upstream: "schedulinggates",
		points: ["preEnqueue"],
	},
	PrioritySort: {
		looks_at: ["priority"],
		upstream: "queuesort",
		points: ["queueSort"],
	},
	NodeUnschedulable: {
		looks_at: ["tolerates"],
		upstream: "nodeunschedulable",
		points: ["filter"],
		reasons: [
			["node\\(s\\) were unschedulable", "cordoned"],
		],
	},
	NodeName: {
		upstream: "nodename",
		points: ["filter"],
		reasons: [
			["node\\(s\\) didn't match the requested (?:node name|hostname)(?:, .*)?", "name"],
		],
	},
	TaintToleration: {
		colour: 0,
		looks_at: ["tolerates"],
		upstream: "tainttoleration",
		points: ["filter", "preScore", "score"],
		weight: 3,
		reasons: [
			["node\\(s\\) had (?:untolerated )?taints? \\{(?<taint>[^}]*)\\}(?:,? that the pod didn't tolerate)?", "taint"],
			["node\\(s\\) had (?:untolerated )?taint(?:s|\\(s\\))?(?:,? that the pod didn't tolerate)?", "taints"],
		],
	},
	NodeAffinity: {
		colour: 1,
		looks_at: ["node"],
		upstream: "nodeaffinity",
		points: ["preFilter", "filter", "preScore", "score"],
		weight: 2,
		reasons: [
			["node\\(s\\) didn't match (?:Pod's node affinity(?:/selector)?|node selector|the requested node affinity.*)", "labels"],
			["node\\(s\\) didn't match scheduler-enforced node affinity", "enforced"],
		],
	},
	NodePorts: {
		looks_at: ["port"],
		upstream: "nodeports",
		points: ["preFilter", "filter"],
		reasons: [
			["node\\(s\\) didn't have free ports for the requested pod ports", "ports"],
		],
	},
	NodeResourcesFit: {
		colour: 4,
		looks_at: ["requests"],
		upstream: "noderesources",
		points: ["preFilter", "filter", "preScore", "score"],
		weight: 1,
		reasons: [
			["Insufficient (?<resource>[^\\s/]+/\\S+)", "insufficient"],
			["Insufficient (?<resource>\\S+)", "insufficient"],
			["Too many (?<resource>pods)", "pods"],
		],
	},
	VolumeRestrictions: {
		looks_at: ["claim"],
		upstream: "volumerestrictions",
		points: ["preFilter", "filter"],
		reasons: [
			["node\\(s\\) had no available disk", "disk"],
			["node\\(s\\) unavailable due to PersistentVolumeClaim with ReadWriteOncePod.*|node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode", "inuse"],
		],
	},
	EBSLimits: {
		upstream: "nodevolumelimits",
	},
	GCEPDLimits: {
		upstream: "nodevolumelimits",
	},
	NodeVolumeLimits: {
		looks_at: ["claim"],
		upstream: "nodevolumelimits",
		points: ["preFilter", "filter"],
		reasons: [
			["node\\(s\\) exceed max volume count", "volumecount"],
		],
	},
	AzureDiskLimits: {
		upstream: "nodevolumelimits",
	},
	CinderLimits: {
		upstream: "nodevolumelimits",
	},
	VolumeBinding: {
		looks_at: ["claim"],
		upstream: "volumebinding",
		points: ["preFilter", "filter", "preScore", "score", "reserve", "preBind"],
		reasons: [
			["node\\(s\\) had volume node affinity conflict|node\\(s\\) didn't match PersistentVolume's node affinity", "volumenode"],
			["node\\(s\\) didn't find available persistent volumes to bind", "volumes"],
			["node\\(s\\) did not have enough free storage", "storage"],
			["(?:node\\(s\\) unavailable due to one or more )?pvc\\(s\\) bound to non-existent pv\\(s\\)", "novolume"],
		],
	},
	VolumeZone: {
		looks_at: ["claim"],
		upstream: "volumezone",
		points: ["preFilter", "filter"],
		reasons: [
			["node\\(s\\) had no available volume zone|node\\(s\\) had volume zone conflict", "volumezone"],
		],
	},
	PodTopologySpread: {
		colour: 2,
		looks_at: ["labels", "spread"],
		upstream: "podtopologyspread",
		points: ["preFilter", "filter", "preScore", "score"],
		weight: 2,
		reasons: [
			["node\\(s\\) didn't match pod topology spread constraints \\(missing required label\\)", "spreadlabel"],
			["node\\(s\\) didn't match pod topology spread constraints", "spread"],
		],
	},
	InterPodAffinity: {
		colour: 3,
		looks_at: ["labels", "near", "apart"],
		upstream: "interpodaffinity",
		points: ["preFilter", "filter", "preScore", "score"],
		weight: 2,
		reasons: [
			["node\\(s\\) didn't match pod affinity rules|node\\(s\\) didn't match pod affinity/anti-affinity(?: rules)?", "affinity"],
			["node\\(s\\) didn't match pod anti-affinity rules", "antiaffinity"],
			["node\\(s\\) didn't satisfy existing pods anti-affinity rules", "existing"],
		],
	},
	DynamicResources: {
		looks_at: ["device"],
		upstream: "dynamicresources",
		points: ["preEnqueue", "preFilter", "filter", "postFilter", "score", "reserve", "preBind"],
		weight: 2,
		reasons: [
			["resourceclaim not available on the node", "deviceselsewhere"],
			["cannot allocate all claims|resourceclaim cannot be allocated for the node .*|excluded by (?:device|resource) class node filter|cannot fit resource|checking structured parameters failed: .*|cannot schedule extended resource claim|insufficient resources", "devices"],
		],
	},
	DefaultPreemption: {
		upstream: "defaultpreemption",
		points: ["preEnqueue", "postFilter"],
	},
	NodeResourcesBalancedAllocation: {
		colour: 5,
		looks_at: ["requests"],
		upstream: "noderesources",
		points: ["preScore", "score"],
		weight: 1,
	},
	ImageLocality: {
		colour: 6,
		upstream: "imagelocality",
		points: ["score"],
		weight: 1,
	},
	DefaultBinder: {
		upstream: "defaultbinder",
		points: ["bind"],
	},
	NodeDeclaredFeatures: {
		upstream: "nodedeclaredfeatures",
		points: ["preFilter", "filter"],
		reasons: [
			["node\\(s\\) didn't match Pod's required features", "features"],
		],
	},
	Coscheduling: {
		upstream: "https://github.com/kubernetes-sigs/scheduler-plugins/tree/master/pkg/coscheduling",
	},
	NodeResourcesLeastAllocated: {
		colour: 4,
		upstream: "noderesources",
	},
	NodeResourcesMostAllocated: {
		colour: 4,
		upstream: "noderesources",
	},
	NodePreferAvoidPods: {
		colour: 5,
	},
	DefaultPodTopologySpread: {
		colour: 2,
	},
	NodeLabel: {
		colour: 1,
		upstream: "nodelabel",
		reasons: [
			["node\\(s\\) didn't have the requested labels", "labels"],
		],
	},
	ServiceAffinity: {
		colour: 2,
		looks_at: ["labels"],
		upstream: "serviceaffinity",
		reasons: [
			["node\\(s\\) didn't match service affinity", "service"],
		],
	},
	RequestedToCapacityRatio: {
		colour: 4,
		upstream: "noderesources",
	},
	GeneralPredicates: {
		like: "NodeResourcesFit",
		looks_at: ["requests", "port", "node"],
	},
	HostName: {
		like: "NodeName",
		reasons: [
			["node\\(s\\) didn't match the requested (?:node name|hostname)(?:, .*)?", "name"],
		],
	},
	PodFitsHostPorts: {
		like: "NodePorts",
		looks_at: ["port"],
		reasons: [
			["node\\(s\\) didn't have free ports for the requested pod ports", "ports"],
		],
	},
	MatchNodeSelector: {
		like: "NodeAffinity",
		colour: 1,
		looks_at: ["node"],
		reasons: [
			["node\\(s\\) didn't match (?:Pod's node affinity(?:/selector)?|node selector|the requested node affinity.*)", "labels"],
			["node\\(s\\) didn't match scheduler-enforced node affinity", "enforced"],
		],
	},
	PodFitsResources: {
		like: "NodeResourcesFit",
		colour: 4,
		looks_at: ["requests"],
		upstream: "noderesources",
		reasons: [
			["Insufficient (?<resource>[^\\s/]+/\\S+)", "insufficient"],
			["Insufficient (?<resource>\\S+)", "insufficient"],
			["Too many (?<resource>pods)", "pods"],
		],
	},
	CheckNodeUnschedulable: {
		like: "NodeUnschedulable",
		looks_at: ["tolerates"],
		reasons: [
			["node\\(s\\) were unschedulable", "cordoned"],
		],
	},
	NoDiskConflict: {
		like: "VolumeRestrictions",
		looks_at: ["claim"],
		reasons: [
			["node\\(s\\) had no available disk", "disk"],
			["node\\(s\\) unavailable due to PersistentVolumeClaim with ReadWriteOncePod.*|node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode", "inuse"],
		],
	},
	PodToleratesNodeTaints: {
		like: "TaintToleration",
		colour: 0,
		looks_at: ["tolerates"],
		reasons: [
			["node\\(s\\) had (?:untolerated )?taints? \\{(?<taint>[^}]*)\\}(?:,? that the pod didn't tolerate)?", "taint"],
			["node\\(s\\) had (?:untolerated )?taint(?:s|\\(s\\))?(?:,? that the pod didn't tolerate)?", "taints"],
		],
	},
	CheckNodeLabelPresence: {
		like: "NodeLabel",
		colour: 1,
		upstream: "nodelabel",
		reasons: [
			["node\\(s\\) didn't have the requested labels", "labels"],
		],
	},
	CheckServiceAffinity: {
		like: "ServiceAffinity",
		colour: 2,
		looks_at: ["labels"],
		upstream: "serviceaffinity",
		reasons: [
			["node\\(s\\) didn't match service affinity", "service"],
		],
	},
	MaxEBSVolumeCount: {
		like: "EBSLimits",
		upstream: "nodevolumelimits",
	},
	MaxGCEPDVolumeCount: {
		like: "GCEPDLimits",
		upstream: "nodevolumelimits",
	},
	MaxCSIVolumeCountPred: {
		like: "NodeVolumeLimits",
		looks_at: ["claim"],
		reasons: [
			["node\\(s\\) exceed max volume count", "volumecount"],
		],
	},
	MaxAzureDiskVolumeCount: {
		like: "AzureDiskLimits",
		upstream: "nodevolumelimits",
	},
	MaxCinderVolumeCount: {
		like: "CinderLimits",
		upstream: "nodevolumelimits",
	},
	CheckVolumeBinding: {
		like: "VolumeBinding",
		looks_at: ["claim"],
		reasons: [
			["node\\(s\\) had volume node affinity conflict|node\\(s\\) didn't match PersistentVolume's node affinity", "volumenode"],
			["node\\(s\\) didn't find available persistent volumes to bind", "volumes"],
			["node\\(s\\) did not have enough free storage", "storage"],
			["(?:node\\(s\\) unavailable due to one or more )?pvc\\(s\\) bound to non-existent pv\\(s\\)", "novolume"],
		],
	},
	NoVolumeZoneConflict: {
		like: "VolumeZone",
		looks_at: ["claim"],
		reasons: [
			["node\\(s\\) had no available volume zone|node\\(s\\) had volume zone conflict", "volumezone"],
		],
	},
	MatchInterPodAffinity: {
		like: "InterPodAffinity",
		colour: 3,
		looks_at: ["labels", "near", "apart"],
		reasons: [
			["node\\(s\\) didn't match pod affinity rules|node\\(s\\) didn't match pod affinity/anti-affinity(?: rules)?", "affinity"],
			["node\\(s\\) didn't match pod anti-affinity rules", "antiaffinity"],
			["node\\(s\\) didn't satisfy existing pods anti-affinity rules", "existing"],
		],
	},
	SelectorSpreadPriority: {
		like: "DefaultPodTopologySpread",
		colour: 2,
	},
	InterPodAffinityPriority: {
		like: "InterPodAffinity",
		colour: 3,
		looks_at: ["labels", "near", "apart"],
		reasons: [
			["node\\(s\\) didn't match pod affinity rules|node\\(s\\) didn't match pod affinity/anti-affinity(?: rules)?", "affinity"],
			["node\\(s\\) didn't match pod anti-affinity rules", "antiaffinity"],
			["node\\(s\\) didn't satisfy existing pods anti-affinity rules", "existing"],
		],
	},
	LeastRequestedPriority: {
		like: "NodeResourcesLeastAllocated",
		colour: 4,
		upstream: "noderesources",
	},
	MostRequestedPriority: {
		like: "NodeResourcesMostAllocated",
		colour: 4,
		upstream: "noderesources",
	},
	BalancedResourceAllocation: {
		like: "NodeResourcesBalancedAllocation",
		colour: 5,
		looks_at: ["requests"],
		upstream: "noderesources",
	},
	NodePreferAvoidPodsPriority: {
		like: "NodePreferAvoidPods",
		colour: 5,
	},
	NodeAffinityPriority: {
		like: "NodeAffinity",
		colour: 1,
		looks_at: ["node"],
		reasons: [
			["node\\(s\\) didn't match (?:Pod's node affinity(?:/selector)?|node selector|the requested node affinity.*)", "labels"],
			["node\\(s\\) didn't match scheduler-enforced node affinity", "enforced"],
		],
	},
	TaintTolerationPriority: {
		like: "TaintToleration",
		colour: 0,
		looks_at: ["tolerates"],
		reasons: [
			["node\\(s\\) had (?:untolerated )?taints? \\{(?<taint>[^}]*)\\}(?:,? that the pod didn't tolerate)?", "taint"],
			["node\\(s\\) had (?:untolerated )?taint(?:s|\\(s\\))?(?:,? that the pod didn't tolerate)?", "taints"],
		],
	},
	ImageLocalityPriority: {
		colour: 6,
	},
	EqualPriority: {
		colour: 5,
	},
	ServiceSpreadingPriority: {
		like: "DefaultPodTopologySpread",
		colour: 2,
	},
	RequestedToCapacityRatioPriority: {
		like: "RequestedToCapacityRatio",
		colour: 4,
		upstream: "noderesources",
	},
	NodeLabelPriority: {
		like: "NodeLabel",
		colour: 1,
		upstream: "nodelabel",
		reasons: [
			["node\\(s\\) didn't have the requested labels", "labels"],
		],
	},
	ServiceAntiAffinityPriority: {
		like: "ServiceAffinity",
		colour: 2,
		looks_at: ["labels"],
		upstream: "serviceaffinity",
		reasons: [
			["node\\(s\\) didn't match service affinity", "service"],
		],
	},
};
